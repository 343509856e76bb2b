"""A channel's figures for the command line: of the console, else read off the fleet, else from the channels file."""

from base64 import b64encode
from dataclasses import replace
from urllib.parse import quote

import urllib3
from pydantic import ValidationError

from console.control.choose import choose_control
from console.control.fleet_control import ControlError, FleetControl
from console.control.settings import ControlSettings, FleetFolderSettings
from console.fleet.feed import FleetFeed
from console.planner.measured import MEASURED, Measured
from console.planner.measurer import Measurer
from console.planner.settings import AutoscalerSettings
from console.settings import ConsoleSettings
from mq_common.channels import ChannelSpec, channel_of, load_channels
from mq_common.connection import connection_parameters
from mq_common.errors import BrokerUnreachable, ConfigurationError
from mq_common.management import ManagementClient
from mq_common.settings import BrokerSettings, ChannelsSettings, load_settings

#: Seconds the console gets to answer.
_ANSWER_S = 5.0


def figures_of_channel(channel: str, console_url: str | None) -> Measured:
    """Give what is known of a channel. Raises ConfigurationError, also for a channel there is none of."""
    console, control, folder, broker, channels, autoscaler = load_settings(
        *(ConsoleSettings, ControlSettings, FleetFolderSettings, BrokerSettings, ChannelsSettings, AutoscalerSettings)
    )
    password = console.password.get_secret_value() if console.password else None
    if console_url and (told := _of_console(console_url, channel, password)) is not None:
        return told
    specs = load_channels(channels.channels, channels.profile)
    spec = channel_of(specs, channel)
    runs = choose_control(control, folder)
    cooldown_s = autoscaler.fleet_cooldown_s
    measurer = Measurer(runs, FleetFeed(0), lambda: specs, profile=channels.profile, cooldown_s=cooldown_s)
    measurer.look()
    measurer.stop()
    found = measurer.measured(channel)
    assert found is not None  # noqa: S101 - channel_of knew it
    if not _runs(runs):
        return replace(found, workers=spec.workers.min, remarks=("no_fleet", *found.remarks))
    return _with_depth(found, spec, broker)


def _of_console(url: str, channel: str, password: str | None) -> Measured | None:
    """Ask the console; None when it does not answer, or is of another release."""
    headers = {"Accept": "application/json"}
    if password is not None:
        headers["Authorization"] = f"Basic {b64encode(f'mediaflow:{password}'.encode()).decode()}"
    try:
        answer = urllib3.request(
            "GET",
            f"{url.rstrip('/')}/admin/planner/{quote(channel, safe='')}/measured",
            headers=headers,
            timeout=_ANSWER_S,
            retries=False,
        )
    except urllib3.exceptions.HTTPError:
        return None
    if answer.status == 404 and b"channel-not-found" in answer.data:
        raise ConfigurationError(str(answer.json().get("detail")))
    try:
        return MEASURED.validate_json(answer.data) if answer.status == 200 else None
    except ValidationError:
        return None


def _runs(control: FleetControl) -> bool:
    try:
        control.fleet()
    except ControlError:
        return False
    return True


def _with_depth(measured: Measured, spec: ChannelSpec, broker: BrokerSettings) -> Measured:
    """Add what waits now, where the broker tells."""
    if broker.management_url is None:
        return measured
    try:
        vhost = str(connection_parameters(broker, "planner")[0].virtual_host)
        depths = ManagementClient(broker.management_url.get_secret_value(), vhost=vhost).queue_depths()
    except (BrokerUnreachable, ConfigurationError):
        return measured
    depth = depths.get(spec.queue)
    return replace(measured, ready=depth.ready, unacked=depth.unacked) if depth else measured
