"""Sets of up to 64 things as one unsigned 64-bit word.

The four operations are single machine instructions where the processor has them. Each has a twin
in plain Python for runs without compilation. Words are always `np.uint64`: numba turns a mixture of
signed and unsigned 64-bit numbers into floating point, so shifts and masks are cast here.
"""

import numba
import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from kibitz._jit import PURE, kernel

word = np.uint64
ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def _has_pdep():
    """Whether machine code for this run may use BMI2's PDEP instruction."""
    if PURE or numba.config.CPU_NAME or numba.config.CPU_FEATURES:
        return False  # compiled for a processor other than this one
    try:
        return bool(llvm.get_host_cpu_features().get("bmi2"))
    except RuntimeError:
        return False


PDEP = _has_pdep()


def _llvm_call(builder, name, result, arguments):
    signature = ir.FunctionType(result, [a.type for a in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, name), arguments)


if PURE:

    def popcount(x):
        """Number of members."""
        return int(x).bit_count()

    def lowest(x):
        """Index of the lowest member of a set that is not empty."""
        return (int(x) & -int(x)).bit_length() - 1

    def highest(x):
        """Index of the highest member of a set that is not empty."""
        return int(x).bit_length() - 1

else:
    _I64 = ir.IntType(64)
    _EXACT = ir.Constant(ir.IntType(1), 0)

    @intrinsic
    def popcount(typing, x):
        """Number of members."""

        def code(context, builder, signature, arguments):
            return _llvm_call(builder, "llvm.ctpop.i64", _I64, [arguments[0]])

        return types.int64(types.uint64), code

    @intrinsic
    def lowest(typing, x):
        """Index of the lowest member of a set that is not empty."""

        def code(context, builder, signature, arguments):
            return _llvm_call(builder, "llvm.cttz.i64", _I64, [arguments[0], _EXACT])

        return types.int64(types.uint64), code

    @intrinsic
    def highest(typing, x):
        """Index of the highest member of a set that is not empty."""

        def code(context, builder, signature, arguments):
            zeros = _llvm_call(builder, "llvm.ctlz.i64", _I64, [arguments[0], _EXACT])
            return builder.sub(ir.Constant(_I64, 63), zeros)

        return types.int64(types.uint64), code

    @intrinsic
    def _pdep(typing, source, mask):
        def code(context, builder, signature, arguments):
            return _llvm_call(builder, "llvm.x86.bmi.pdep.64", _I64, list(arguments))

        return types.uint64(types.uint64, types.uint64), code


@kernel
def single(index):
    """The set holding only `index`."""
    return ONE << word(index)


@kernel
def lowest_bit(x):
    """The lowest member as a set; empty for an empty set."""
    return x & (~x + ONE)


@kernel
def select_portable(x, rank):
    """`select` on any processor: halve the word six times by counting."""
    index = 0
    for width in (32, 16, 8, 4, 2, 1):
        low = popcount((x >> word(index)) & ((ONE << word(width)) - ONE))
        if rank >= low:
            rank -= low
            index += width
    return ONE << word(index)


if PDEP:

    @kernel
    def select(x, rank):
        """The member with `rank` smaller members before it, as a set."""
        return _pdep(ONE << word(rank), x)

else:
    select = select_portable
