"""The algorithms' small parts: pure functions on arrays, without state.

Members are rows and examples are columns wherever both occur: ``wrong[k, i]`` says whether
member `k` errs on example `i`.
"""
