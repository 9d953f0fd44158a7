# cython: infer_types=True
"""Fast sums over many subsets of the same numbers, using one table per eight numbers.

A batch update multiplies a bit matrix (which member classifies which row correctly) by a vector,
twice. The 256 subset sums of each group of eight numbers are tabulated first; each byte of the
matrix then takes a single look-up, which needs an eighth of the additions and no multiplication.
This is the method of Arlazarov, Dinic, Kronrod and Faradzev (1970).
"""

import cython

ULL = cython.typedef(cython.ulonglong)
# Masks of the three rounds of an 8 x 8 bit transpose in a 64-bit word.
ONES = cython.declare(ULL, 0x00AA00AA00AA00AA)
TWOS = cython.declare(ULL, 0x0000CCCC0000CCCC)
FOURS = cython.declare(ULL, 0x00000000F0F0F0F0)


def pack(codes, y, m, by_member, by_row):
    """Pack the bit matrix of correct predictions into bytes, in both orientations.

    Parameters
    ----------
    codes : int16 array of shape (n, m), or larger
        The class code that each member predicts for each row.
    y : intp array of shape (n,)
        The classes of the rows.
    m : int
        Number of members.
    by_member : uint8 array of shape (n / 8, m), rounded up to multiples of 8
        Output: bit ``i % 8`` of ``by_member[i // 8, j]`` is 1 if member j classifies row i
        correctly.
    by_row : uint8 array of shape (m / 8, n), rounded up to multiples of 8
        Output: bit ``j % 8`` of ``by_row[j // 8, i]`` has the same value.
    """
    right: cython.uchar
    by_member[:, :] = 0
    for i in range(y.shape[0]):
        k = i % 8
        label: cython.short = y[i]
        for j in range(m):
            right = codes[i, j] == label
            by_member[i // 8, j] |= right << k
    for g in range(by_member.shape[0]):
        for h in range(by_row.shape[0]):
            _turn(by_member, g, h, by_row)


def _turn(by_member, g, h, by_row):
    """Write the transpose of an 8 x 8 block of bits.

    Three rounds exchange blocks of 1, 2 and 4 bits across the diagonal.
    """
    x: ULL = 0
    for k in range(8):
        x |= cython.cast(ULL, by_member[g, 8 * h + k]) << (8 * k)
    t: ULL = (x ^ (x >> 7)) & ONES
    x = x ^ t ^ (t << 7)
    t = (x ^ (x >> 14)) & TWOS
    x = x ^ t ^ (t << 14)
    t = (x ^ (x >> 28)) & FOURS
    x = x ^ t ^ (t << 28)
    for k in range(8):
        by_row[h, 8 * g + k] = (x >> (8 * k)) & 255


def tabulate(values, table):
    """Write the sums of all 256 subsets of each group of eight values to one row of the table."""
    for g in range(table.shape[0]):
        table[g, 0] = 0.0
        for k in range(8):
            value = values[8 * g + k]
            size: cython.Py_ssize_t = 1 << k
            for s in range(size):
                table[g, size + s] = table[g, s] + value


def look_up(bits, table, out):
    """Write, for each column of `bits`, the sum of the values whose bits are set.

    Four bytes are processed at a time, so that each sum is loaded and stored once per 32 values.
    """
    g: cython.Py_ssize_t = 0
    for r in range(out.shape[0]):
        out[r] = 0.0
    while g + 4 <= table.shape[0]:
        for r in range(out.shape[0]):
            total: cython.double = out[r] + table[g, bits[g, r]]
            total += table[g + 1, bits[g + 1, r]]
            total += table[g + 2, bits[g + 2, r]]
            out[r] = total + table[g + 3, bits[g + 3, r]]
        g += 4
    while g < table.shape[0]:
        for r in range(out.shape[0]):
            out[r] += table[g, bits[g, r]]
        g += 1
