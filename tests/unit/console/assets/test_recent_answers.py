import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from console.assets.recent_answers import RecentAnswers


def test_many_who_ask_the_same_at_once_cost_one_question():
    asked, may_answer = [], threading.Event()

    def ask(query):
        asked.append(query)
        assert may_answer.wait(5)
        return {"n": len(asked)}

    answers = RecentAnswers(ask, fresh_s=60)
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(answers, {"q": "a"}) for _ in range(8)]
        may_answer.set()
        assert [future.result() for future in futures] == [{"n": 1}] * 8
    answers({"q": "b"})
    assert asked == [{"q": "a"}, {"q": "b"}]


def test_an_answer_is_asked_for_again_once_it_is_old():
    asked = []
    answers = RecentAnswers(lambda query: {"n": asked.append(query) or len(asked)}, fresh_s=0)
    assert [answers({})["n"], answers({})["n"]] == [1, 2]


def test_an_error_is_everybodys_and_not_kept_for_longer():
    fails = [True]

    def ask(_query):
        if fails:
            raise OSError(fails.pop())
        return {"ok": True}

    answers = RecentAnswers(ask, fresh_s=0)
    with pytest.raises(OSError):
        answers({})
    assert answers({}) == {"ok": True}


def test_what_is_kept_is_bounded():
    answers = RecentAnswers(dict, fresh_s=60)
    for number in range(500):
        assert answers({"q": str(number)}) == {"q": str(number)}
    assert len(answers._kept) <= 64
