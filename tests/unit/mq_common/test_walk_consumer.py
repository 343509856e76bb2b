from mq_common._walk_consumer import WalkConsumer


def test_a_consumer_is_full_when_its_prefetch_is_out_and_half_held_when_half_of_it_stays() -> None:
    consumer = WalkConsumer("c", prefetch=4)
    for tag in (11, 12, 13, 14):
        assert not consumer.is_full
        consumer.deliver(tag)

    assert (consumer.first_tag, consumer.is_full, consumer.is_half_held) == (11, True, False)
    consumer.hold(12)
    consumer.hold(11)
    assert (consumer.is_half_held, consumer.last_held, consumer.is_decided) == (True, 12, False)
    consumer.taken = 2
    assert consumer.is_decided
    consumer.acked = 2
    assert not consumer.is_full
