# cython: infer_types=True
"""Many sums over subsets of the same numbers, eight numbers at a time.

A batch update of 200 members on 200 rows is two products of a matrix of bits (who is right about
which row) with a vector. The 256 sums that eight numbers can have are tabulated once, then every
byte of the matrix is one look-up: an eighth of the additions, and no multiplication. The method is
that of Arlazarov, Dinic, Kronrod and Faradzev (1970).
"""

import cython

ULL = cython.typedef(cython.ulonglong)
ONES = cython.declare(ULL, 0x00AA00AA00AA00AA)
TWOS = cython.declare(ULL, 0x0000CCCC0000CCCC)
FOURS = cython.declare(ULL, 0x00000000F0F0F0F0)


def pack(codes, y, m, by_member, by_row):
    """Pack the matrix "is the code right" into bytes, eight rows and eight members a byte.

    Parameters
    ----------
    codes : int16 array of shape (n, m), or larger
        The class code that each member gives each row.
    y : intp array of shape (n,)
        The classes of the rows.
    m : int
        Number of members.
    by_member : uint8 array of shape (n / 8, m), rounded up to eights
        Bit ``i % 8`` of ``by_member[i // 8, j]`` will say whether member j is right about row i.
    by_row : uint8 array of shape (m / 8, n), rounded up to eights
        Bit ``j % 8`` of ``by_row[j // 8, i]`` will say the same.
    """
    k: cython.int
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
    """Write a square of 8 times 8 bits with rows and columns exchanged.

    Three rounds exchange single bits, pairs and quadruples across the diagonal.
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
    """Write the sum of every subset of each eight values: a row of the table for each eight."""
    for g in range(table.shape[0]):
        table[g, 0] = 0.0
        for k in range(8):
            value = values[8 * g + k]
            size: cython.Py_ssize_t = 1 << k
            for s in range(size):
                table[g, size + s] = table[g, s] + value


def look_up(bits, table, out):
    """Write for every column of `bits` the sum of the values whose bits are set.

    Four bytes at a time: a sum is read and written once for thirty-two of its values.
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
