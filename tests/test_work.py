"""Work: clients take turns, nobody may ask for too much, and a place is always given back."""

import asyncio
import contextlib
import threading
from contextlib import aclosing

import pytest

from kibitz.protocol.work import Busy, Work

FEW = 5


@pytest.fixture
def work():
    found = Work(threads=1, each=2, most=3)
    yield found
    found.close()


def counting(steps, note=lambda: None):
    """A job of so many steps."""
    left = [steps]

    def step():
        note()
        left[0] -= 1
        return left[0] > 0

    return step


async def through(work, client, step):
    count = 0
    async for _ in work.steps(client, step):
        count += 1
    return count


async def held(work, client="holder"):
    """A job that keeps the only thread until it is let go; comes back when it has it."""
    let_go, began = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def step():
        loop.call_soon_threadsafe(began.set)
        assert let_go.wait(60)
        return False

    task = asyncio.create_task(through(work, client, step))
    await began.wait()
    return task, let_go


async def usable(work):
    """All places are free again, and all jobs are forgotten."""
    async with asyncio.timeout(60):
        assert await through(work, "new", counting(FEW)) == FEW
    assert work._free == 1
    assert not work._jobs
    assert not work._places
    assert not work._there
    assert not work._waiting
    assert not work._last


def test_a_job_is_done_step_by_step(work):
    async def main():
        assert await through(work, "one", counting(FEW)) == FEW
        assert await work.once("one", lambda: 7) == 7
        await usable(work)

    asyncio.run(main())


def test_two_clients_alternate(work):
    async def main():
        order = []
        task, let_go = await held(work)
        jobs = [
            asyncio.create_task(through(work, name, counting(FEW, lambda n=name: order.append(n))))
            for name in "ab"
        ]
        await asyncio.sleep(0)  # both wait for their turn
        let_go.set()
        await asyncio.gather(task, *jobs)
        assert order == ["a", "b"] * FEW
        await usable(work)

    asyncio.run(main())


def test_a_client_with_two_jobs_gets_no_more_turns_than_one_with_one(work):
    async def main():
        order = []
        task, let_go = await held(work, "greedy")
        jobs = [
            asyncio.create_task(through(work, name, counting(FEW, lambda n=name: order.append(n))))
            for name in ("greedy", "modest")
        ]
        await asyncio.sleep(0)
        let_go.set()
        await task
        second = counting(FEW, lambda: order.append("greedy"))
        jobs.append(asyncio.create_task(through(work, "greedy", second)))
        await asyncio.gather(*jobs)
        # while the modest one has something to do it gets every other turn
        until = len(order) - order[::-1].index("modest")
        assert order[:until].count("greedy") <= FEW + 1, order
        await usable(work)

    asyncio.run(main())


def test_limits_of_one_and_of_all(work):
    async def main():
        task, let_go = await held(work, "a")
        more = [asyncio.create_task(through(work, "a", counting(1)))]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="2 things are under way for you"):
            await through(work, "a", counting(1))
        more.append(asyncio.create_task(through(work, "b", counting(1))))
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="hands full"):
            await through(work, "c", counting(1))
        free = asyncio.create_task(work.once("a", lambda: "moved", limited=False))
        await asyncio.sleep(0)
        let_go.set()
        await asyncio.gather(task, *more)
        assert await free == "moved"
        await usable(work)

    asyncio.run(main())


def test_limits_of_one_address():
    async def main():
        work = Work(threads=1, each=2, near=3, most=10)
        with contextlib.ExitStack() as places:
            for client in "aab":
                places.enter_context(work.place(client, "home"))
            with pytest.raises(Busy, match="3 things are under way at your address"):
                places.enter_context(work.place("c", "home"))
            with pytest.raises(Busy, match="at your address"):
                await anext(work.steps("c", counting(1), address="home"))
            places.enter_context(work.place("c", "elsewhere"))
            for client in "de":  # those without an address are counted by themselves
                places.enter_context(work.place(client))
                places.enter_context(work.place(client))
            assert await work.once("c", lambda: "moved", limited=False) == "moved"
        await usable(work)
        work.close()

    asyncio.run(main())


def test_what_nobody_limits_makes_nobody_busy(work):
    """Agents think at many tables of one client: another may still ask."""

    async def main():
        task, let_go = await held(work, "a")
        free = [asyncio.create_task(work.once("a", lambda: None, limited=False)) for _ in range(20)]
        await asyncio.sleep(0)
        asked = asyncio.create_task(through(work, "b", counting(1)))
        await asyncio.sleep(0)
        let_go.set()
        await asyncio.gather(task, *free, asked)
        await usable(work)

    asyncio.run(main())


def test_cancel_while_waiting_frees_the_place(work):
    async def main():
        task, let_go = await held(work)
        waiting = asyncio.create_task(through(work, "a", counting(1)))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        let_go.set()
        await task
        await usable(work)

    asyncio.run(main())


def test_cancel_while_running_frees_the_place_once_the_thread_is_done(work):
    async def main():
        task, let_go = await held(work)
        task.cancel()
        await asyncio.sleep(0)
        assert work._free == 0
        let_go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        await usable(work)

    asyncio.run(main())


def test_cancel_in_the_moment_of_the_turn(work, monkeypatch):
    async def main():
        task, let_go = await held(work)
        waiting = asyncio.create_task(through(work, "a", counting(1)))
        await asyncio.sleep(0)
        pass_on = work._pass_on

        def cancelling():
            monkeypatch.setattr(work, "_pass_on", pass_on)
            pass_on()
            waiting.cancel()  # it has its turn, and does not know it yet

        monkeypatch.setattr(work, "_pass_on", cancelling)
        let_go.set()
        await task
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await usable(work)

    asyncio.run(main())


def test_a_job_that_is_left_frees_its_place(work):
    async def main():
        async with aclosing(work.steps("a", counting(FEW))) as steps:
            async for _ in steps:
                break
        await usable(work)

    asyncio.run(main())


def test_an_exception_frees_the_place_and_comes_out(work):
    def broken():
        raise ZeroDivisionError("in the job")

    async def main():
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await work.once("a", broken)
        await usable(work)

    asyncio.run(main())
