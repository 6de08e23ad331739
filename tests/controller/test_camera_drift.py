"""A camera that has moved is told on the display, in millimetres and with what to do; play goes on."""

from board_simulated import SimulatedBoard
from board_table import BoardTable

from controller.journal_inputs import body_of, input_from
from controller.machine import Stage
from controller.public import Alarm
from firmware_bridge.states import Capability
from vision.observations import CameraBack, CameraLost, Drift, Settled, decode_line, encode_line


def alarm_of(table: BoardTable) -> Alarm:
    shown = table.shown["state/alarm"]
    assert isinstance(shown, Alarm)
    return shown


def new_table() -> BoardTable:
    table = BoardTable(SimulatedBoard(capabilities=Capability.DICE | Capability.REPLAY))
    table.until(Stage.IDLE)
    table.tell(Settled(at=0.0))
    return table


def test_a_moved_camera_is_told_until_it_is_back() -> None:
    table = new_table()
    table.tell(Drift(at=table.now, mm=6.2))
    told = alarm_of(table)
    assert (told.active, told.code) == (True, "CAM-10")
    assert "6 毫米" in told.zh
    assert "6 mm" in told.en
    assert any("fasten" in step for step in told.advice_en)
    assert any("longzhuo calibrate" in step for step in told.advice_en)
    table.tell(Settled(at=table.now))
    assert alarm_of(table).code == "CAM-10"
    table.tell(Drift(at=table.now, mm=9.0))
    assert "9 mm" in alarm_of(table).en
    table.tell(Drift(at=table.now, mm=0.0))
    assert not alarm_of(table).active


def test_a_camera_without_a_picture_is_the_more_urgent_trouble() -> None:
    table = new_table()
    table.tell(Drift(at=table.now, mm=6.0))
    table.tell(CameraLost(at=table.now, reason="cable"))
    assert alarm_of(table).code == "CAM-00"
    table.tell(CameraBack(at=table.now))
    assert alarm_of(table).code == "CAM-10"


def test_the_journal_and_a_stream_of_readings_keep_it() -> None:
    drift = Drift(at=3.0, mm=6.2)
    assert input_from("Drift", body_of(drift)) == drift
    assert decode_line(encode_line(drift)) == drift
