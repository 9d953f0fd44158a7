# Compiled; no C declarations are shared with other modules.
