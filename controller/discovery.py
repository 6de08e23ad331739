"""A table as a device of Home Assistant: the payload of its MQTT discovery. Pure.

Device discovery as documented at https://www.home-assistant.io/integrations/mqtt/ (device discovery payload),
/integrations/sensor.mqtt/, /integrations/binary_sensor.mqtt/ and /integrations/button.mqtt/. Only what
everybody at the table sees is in it, as it is on the `state/*` topics.
"""

from typing import Any, Final, get_args

import msgspec

from controller.public_parts import PhaseName

STATUS_TOPIC: Final = "homeassistant/status"
"""Home Assistant says "online" here when it has started."""

BUTTON_S: Final = 10
"""So long an order of a button is valid: its sender's clock may differ by nearly as much."""

_BUTTONS: Final[tuple[tuple[str, str, str], ...]] = (
    ("start", "开始 start", "mdi:play"),
    ("pause", "暂停 pause", "mdi:pause"),
    ("resume", "继续 resume", "mdi:play-pause"),
)
_COUNTED: Final[tuple[tuple[str, str], ...]] = (
    ("hands", "局数 hands"),
    ("settled", "已结算 settled"),
    ("drawn", "荒庄 drawn"),
    ("withheld", "未结算 withheld"),
)

ORDER_TEMPLATE: Final = (
    '{"id": "ha-{{ now().timestamp() }}", "author": "home assistant", '
    f'"expires": {{{{ now().timestamp() + {BUTTON_S} }}}}}}'
)
"""Rendered when a button is pressed: an order of its own each time, that is soon over."""


def device_id(prefix: str) -> str:
    """The device's name for machines; ids of parlours and tables have no underscore."""
    parlour, table = prefix.split("/")[-2:]
    return f"mj_{parlour}_{table}"


def discovery_topic(prefix: str) -> str:
    """Where the payload is retained; an empty one removes the device."""
    return f"homeassistant/device/{device_id(prefix)}/config"


def discovery_payload(prefix: str, *, version: str) -> bytes:
    """The JSON that makes the table a device with its state, points, faults, counters and buttons."""
    device = device_id(prefix)
    components = {**_table(prefix), **_scores(prefix), **_troubles(prefix), **_counters(prefix)}
    components |= _buttons(prefix)
    for name, component in components.items():
        component["unique_id"] = f"{device}_{name}"
    return msgspec.json.encode(
        {
            "dev": {
                "ids": [device],
                "name": f"麻将桌 {prefix.rsplit('/', maxsplit=1)[-1]}",
                "mf": "longzhuo",
                "mdl": "龙桌 longzhuo",
                "sw": version,
            },
            "o": {"name": "longzhuo", "sw": version},
            "availability": [
                {
                    "topic": f"{prefix}/state/availability",
                    "payload_available": "online",
                    "payload_not_available": "offline",
                }
            ],
            "qos": 1,
            "cmps": components,
        }
    )


def _sensor(prefix: str, topic: str, name: str, template: str, **more: Any) -> dict[str, Any]:
    return {
        "p": "sensor",
        "name": name,
        "state_topic": f"{prefix}/{topic}",
        "value_template": f"{{{{ {template} }}}}",
        **more,
    }


def _table(prefix: str) -> dict[str, dict[str, Any]]:
    phases = list(get_args(PhaseName))
    return {
        "state": _sensor(
            prefix, "state/table", "状态 state", "value_json.phase", device_class="enum", options=phases
        ),
        "dragon": _sensor(prefix, "state/table", "龙 dragon", "value_json.dragon or '-'"),
    }


def _scores(prefix: str) -> dict[str, dict[str, Any]]:
    return {
        f"score_{seat}": _sensor(
            prefix,
            "state/scores",
            f"{seat + 1}号位分数 points of seat {seat + 1}",
            f"value_json.balances[{seat}]",
            state_class="measurement",
        )
        for seat in range(4)
    }


def _troubles(prefix: str) -> dict[str, dict[str, Any]]:
    return {
        "alarm": {
            "p": "binary_sensor",
            "name": "故障 fault",
            "device_class": "problem",
            "state_topic": f"{prefix}/state/alarm",
            "value_template": "{{ 'ON' if value_json.active else 'OFF' }}",
            "json_attributes_topic": f"{prefix}/state/alarm",
        },
        "doubts": _sensor(
            prefix,
            "state/doubt",
            "待定 open doubts",
            "value_json.doubts | count",
            state_class="measurement",
        ),
    }


def _counters(prefix: str) -> dict[str, dict[str, Any]]:
    counted = {
        key: _sensor(
            prefix,
            "state/counters",
            name,
            f"value_json.{key}",
            state_class="total_increasing",
            entity_category="diagnostic",
        )
        for key, name in _COUNTED
    }
    uptime = _sensor(
        prefix,
        "state/counters",
        "运行时间 uptime",
        "value_json.uptime_s",
        device_class="duration",
        unit_of_measurement="s",
        entity_category="diagnostic",
    )
    return {**counted, "uptime": uptime}


def _buttons(prefix: str) -> dict[str, dict[str, Any]]:
    return {
        verb: {
            "p": "button",
            "name": name,
            "icon": icon,
            "command_topic": f"{prefix}/cmd/{verb}",
            "command_template": ORDER_TEMPLATE,
            "qos": 1,
            "retain": False,
        }
        for verb, name, icon in _BUTTONS
    }
