"""The time, for kernels that have a budget: seconds of a clock that never goes back.

A call of the C library's `clock_gettime`, some 25 ns. numba has no clock of its own, and a call by
way of Python would need the GIL and could not be cached.
"""

import sys
import time

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from kibitz._jit import PURE

MONOTONIC = 6 if sys.platform == "darwin" else 1
"""The number of the clock that `time.monotonic` reads, so that both can be compared."""

if PURE:

    def now():
        """Seconds."""
        return time.monotonic()

else:

    @intrinsic
    def now(typing):
        """Seconds."""

        def code(context, builder, signature, arguments):
            i32, i64 = ir.IntType(32), ir.IntType(64)
            moment = cgutils.alloca_once(builder, ir.LiteralStructType([i64, i64]))
            kind = ir.FunctionType(i32, [i32, moment.type])
            read = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
            builder.call(read, [ir.Constant(i32, MONOTONIC), moment])
            seconds, nanoseconds = (
                builder.sitofp(builder.load(cgutils.gep_inbounds(builder, moment, 0, k)), double)
                for k in range(2)
            )
            return builder.fadd(seconds, builder.fmul(nanoseconds, ir.Constant(double, 1e-9)))

        double = ir.DoubleType()
        return types.float64(), code
