import os

from ingest.arrivals import Arrivals


def test_every_process_sees_what_all_counted():
    arrivals = Arrivals()
    arrivals.add()
    pids = []
    for count in (10, 100):
        pid = os.fork()
        if not pid:
            arrivals.add(count)
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        assert os.waitpid(pid, 0)[1] == 0
    assert arrivals.total() == 111
