"""Sun, Tang, Zhu and Yao 2018: DTEL against SEA, Learn++.NSE, AUE2 and TIX."""
