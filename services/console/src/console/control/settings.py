"""Which fleet the console acts on: settings MEDIAFLOW_CONSOLE_CONTROL and MEDIAFLOW_CONSOLE_KUBE_*."""

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mq_common.settings import Settings


class ControlSettings(Settings):
    """Who runs the fleet, and how to reach it."""

    model_config = SettingsConfigDict(env_prefix="MEDIAFLOW_CONSOLE_")

    control: Literal["auto", "local", "kubernetes", "none"] = Field(
        default="auto",
        description="who runs the fleet; auto: Kubernetes in a pod or with a kubeconfig, else this machine",
    )
    kube_config: Path | None = Field(default=None, description="kubeconfig outside of a pod; unset: the pod's account")
    kube_context: str | None = Field(default=None, description="context of the kubeconfig; unset: its current one")
    kube_namespace: str | None = Field(default=None, description="unset: the pod's own, or the context's")
    kube_release: str = Field(
        default="mediaflow", min_length=1, description="the release that is looked at (app.kubernetes.io/instance)"
    )
    deletion_cost: Literal["on", "off"] = Field(
        default="on",
        description="Kubernetes: mark busy workers' pods, so that a scale-down takes idle ones first",
    )


class FleetFolderSettings(Settings):
    """Where this machine's fleet lives; the supervisor tells its own processes."""

    fleet_folder: Path = Path(".run")
    #: Set by the supervisor in the environment of every process it starts.
    fleet_run: Path | None = None

    @property
    def socket(self) -> Path:
        """The supervisor's control socket."""
        return (self.fleet_run or self.fleet_folder.expanduser()).resolve() / "fleet.sock"
