"""What people read when the camera can't be used, and what they do about it. Pure."""

from typing import Final

from controller.machine_advice import CALL, Step, Steps
from vision.observations import CameraTrouble

BY_ITSELF: Final[Step] = ("好了会自动恢复，牌局没有丢", "it goes on by itself then; the hand is not lost")
WAIT: Final[Step] = ("先别打牌，等提示消失", "stop playing until this notice is gone")

CAMERA_WORDS: Final[dict[CameraTrouble, tuple[str, str, str, Steps]]] = {
    CameraTrouble.UNPLUGGED: (
        "CAM-00",
        "摄像头没有画面：{0}",
        "no picture from the camera: {0}",
        (WAIT, ("看摄像头的线和电源", "check the camera's cable and power"), BY_ITSELF, CALL),
    ),
    CameraTrouble.FROZEN: (
        "CAM-01",
        "摄像头画面卡住不动",
        "the camera's picture is frozen",
        (
            WAIT,
            ("拔下摄像头，等五秒再插上", "pull the camera out, wait 5 s, plug it in again"),
            BY_ITSELF,
            CALL,
        ),
    ),
    CameraTrouble.BLACK: (
        "CAM-02",
        "摄像头画面全黑",
        "the camera's picture is black",
        (
            WAIT,
            ("打开灯，看镜头有没有被盖住", "switch the lamp on; see whether something covers the lens"),
            BY_ITSELF,
            CALL,
        ),
    ),
    CameraTrouble.OVEREXPOSED: (
        "CAM-03",
        "摄像头画面太亮，看不清牌",
        "the camera's picture is too bright to read tiles",
        (
            WAIT,
            ("拉上窗帘，或把灯从镜头前移开", "draw the curtain, or move the lamp out of the lens"),
            BY_ITSELF,
            CALL,
        ),
    ),
    CameraTrouble.MOVED: (
        "CAM-04",
        "摄像头被碰歪或被挡住",
        "the camera was moved, or something is in its way",
        (
            WAIT,
            ("看桌子四角的标记有没有被盖住", "see that nothing covers the marks at the table's corners"),
            ("把摄像头转回去，四个角都要看得见", "turn it back so that it sees all four corners"),
            BY_ITSELF,
            CALL,
        ),
    ),
    CameraTrouble.WRONG_DEVICE: (
        "CAM-05",
        "摄像头接错了：画面里没有这张桌子",
        "wrong camera: its picture does not show this table",
        (
            WAIT,
            ("看是不是插了另一个摄像头，换回来", "see whether another camera was plugged in; change it back"),
            ("请师傅核对设置里的 camera.source", "have the technician check camera.source in the settings"),
        ),
    ),
    CameraTrouble.SIZE_CHANGED: (
        "CAM-06",
        "摄像头的分辨率变了",
        "the camera's picture has another size",
        (WAIT, BY_ITSELF, CALL),
    ),
    CameraTrouble.STREAM_RESTARTED: (
        "CAM-07",
        "摄像头的画面断了一下",
        "the camera's stream broke off for a moment",
        (
            WAIT,
            BY_ITSELF,
            ("常常这样就把线插紧，或换一根线", "if it happens often, fasten the cable or use another"),
        ),
    ),
    CameraTrouble.NO_TABLE: (
        "CAM-08",
        "画面里看不全桌子：{0}",
        "the picture does not show the whole table: {0}",
        (
            WAIT,
            ("看桌子四角的标记有没有被盖住", "see that nothing covers the marks at the table's corners"),
            ("摆正摄像头，四个角都要看得见", "set the camera so that it sees all four corners"),
            BY_ITSELF,
            CALL,
        ),
    ),
}
"""Code, what it is (Chinese and English, `{0}`: the particulars), and the steps."""

DRIFT_CODE: Final = "CAM-10"
DRIFT_WORDS: Final[tuple[str, str, str, Steps]] = (
    DRIFT_CODE,
    "摄像头移动了 {0} 毫米（已自动校正）",
    "the camera has moved {0} mm (readings are corrected for it)",
    (
        ("可以接着打", "play on"),
        ("把摄像头固定好", "fasten the camera"),
        ("打完后运行 longzhuo calibrate", "after the match run longzhuo calibrate"),
    ),
)
"""A camera that still sees the table, but from elsewhere; told as the others are."""

CAMERA_CODES: Final = {trouble: words[0] for trouble, words in CAMERA_WORDS.items()}
