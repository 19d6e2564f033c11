"""What surrounds the three PP-OCRv4 networks: images to tensors, tensors to boxes and text.

Written for upright lines of text: detection's probability map is thresholded, its connected
components become rectangles; recognition is decoded greedily.
"""

import dataclasses
import pathlib

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONT = pathlib.Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
LINE_HEIGHT = 48          # what direction and recognition were trained with
DIRECTION_WIDTH = 192
PIXEL_THRESHOLD, BOX_THRESHOLD, UNCLIP = 0.3, 0.5, 1.6


def render(text, width=None, height=160, size=40):
    """One line of black text in the middle of a white image, which is as wide as need be."""
    # The layout that Pillow itself does: the other one is there or not with the machine's libraries.
    font = (ImageFont.truetype(str(FONT), size, layout_engine=ImageFont.Layout.BASIC) if FONT.exists()
            else ImageFont.load_default(size))
    left, top, right, bottom = font.getbbox(text)
    width = width or (int(right - left) + 3 * size + 31) // 32 * 32
    image = Image.new("RGB", (width, height), "white")
    at = ((width - (right - left)) // 2 - left, (height - (bottom - top)) // 2 - top)
    ImageDraw.Draw(image).text(at, text, "black", font=font)
    return image


def to_tensor(image):
    """[1, 3, H, W] in [-1, 1], blue first: what the networks were trained with."""
    pixels = np.asarray(image.convert("RGB"), np.float32)[:, :, ::-1]
    return np.ascontiguousarray(((pixels / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None])


def detection_input(image):
    """Detection halves its input five times: sizes are multiples of 32."""
    width, height = (max(32, round(side / 32) * 32) for side in image.size)
    return to_tensor(image.resize((width, height), Image.Resampling.BILINEAR))


def line_input(image, width):
    """A line scaled to the networks' height, with grey (zero) to its right up to `width`."""
    scaled = min(width, max(1, round(image.width * LINE_HEIGHT / image.height)))
    line = to_tensor(image.resize((scaled, LINE_HEIGHT), Image.Resampling.BILINEAR))
    return np.pad(line, ((0, 0), (0, 0), (0, 0), (0, width - scaled)))


def recognition_input(image):
    return line_input(image, max(320, round(image.width * LINE_HEIGHT / image.height)))


@dataclasses.dataclass
class Box:
    left: int
    top: int
    right: int
    bottom: int
    score: float


def components(mask):
    """Bounding slices of the 8-connected components, by joining runs of touching rows."""
    parent = []

    def find(label):
        while parent[label] != label:
            parent[label] = parent[parent[label]]
            label = parent[label]
        return label

    runs, above = [], []
    for row, line in enumerate(mask):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(np.int8), [0]))))
        here = []
        for start, end in zip(edges[::2], edges[1::2]):
            label = len(parent)
            parent.append(label)
            for other_start, other_end, other in above:
                if start <= other_end and other_start <= end:
                    parent[find(other)] = find(label)
            here.append((start, end, label))
        runs += [(row, *run) for run in here]
        above = here
    found = {}
    for row, start, end, label in runs:
        box = found.setdefault(find(label), [start, row, end, row + 1])
        box[:] = min(box[0], start), box[1], max(box[2], end), row + 1
    return list(found.values())


def boxes_of(probability, image_size):
    """Boxes, in the image's pixels, from top to bottom and left to right."""
    height, width = probability.shape
    scale_x, scale_y = image_size[0] / width, image_size[1] / height
    boxes = []
    for left, top, right, bottom in components(probability > PIXEL_THRESHOLD):
        score = float(probability[top:bottom, left:right].mean())
        if score < BOX_THRESHOLD or right - left < 3 or bottom - top < 3:
            continue
        # The map marks the core of a line; the line itself is larger by this much on each side.
        grow = (right - left) * (bottom - top) * UNCLIP / (2 * (right - left + bottom - top))
        boxes.append(Box(round(max(0, left - grow) * scale_x), round(max(0, top - grow) * scale_y),
                         round(min(width, right + grow) * scale_x), round(min(height, bottom + grow) * scale_y),
                         score))
    return sorted(boxes, key=lambda box: (box.top, box.left))


def is_upside_down(probabilities):
    """Direction's verdict on one line: (whether to turn it, how sure)."""
    turned = int(probabilities.argmax())
    return bool(turned == 1 and probabilities[1] > 0.9), float(probabilities[turned])


def decode(probabilities, characters):
    """The text of one line and its mean confidence. Class 0 is the blank, the last is a space."""
    alphabet = [""] + characters.split("\n") + [" "]
    best = probabilities.argmax(axis=1)
    first = np.concatenate(([True], best[1:] != best[:-1]))
    kept = np.flatnonzero(first & (best != 0))
    confidence = float(probabilities[kept, best[kept]].mean()) if kept.size else 0.0
    return "".join(alphabet[best[i]] for i in kept), confidence


def read(image, run, characters):
    """Reads every line of the image; `run(model, tensor)` runs one of the three networks.

    Yields (box, turned, certainty, text, confidence).
    """
    probability = run("detection", detection_input(image))[0, 0]
    for box in boxes_of(probability, image.size):
        line = image.crop((box.left, box.top, box.right, box.bottom))
        turned, certainty = is_upside_down(run("direction", line_input(line, DIRECTION_WIDTH))[0])
        if turned:
            line = line.rotate(180)
        text, confidence = decode(run("recognition", recognition_input(line))[0], characters)
        yield box, turned, certainty, text, confidence
