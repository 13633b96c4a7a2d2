// picture.ts makes squares of the pictures that people choose, small enough to send.

import { h } from "./dom";
import { tr } from "./texts";

const side = 256;

// A picture with longer sides than this to one is scaled down until its ends are within the circle in which it is shown.
const wide = 1.3;

// squareOf cuts the middle out of a picture, or, with whole, puts all of it on a white ground, as logos need it.
export async function squareOf(file: File, whole = false): Promise<Blob> {
  const image = await createImageBitmap(file).catch(() => {
    throw new Error(tr("This browser cannot read that file as a picture. Choose a PNG, JPEG or WebP file."));
  });
  const canvas = h("canvas", { width: side, height: side });
  const [short, long] = [Math.min(image.width, image.height), Math.max(image.width, image.height)];
  const edge = !whole ? short : long > short * wide ? Math.hypot(short, long) : long;
  const [width, height] = [(image.width * side) / edge, (image.height * side) / edge];
  const draw = canvas.getContext("2d");
  if (draw) draw.fillStyle = "#fff";
  draw?.fillRect(0, 0, side, side);
  draw?.drawImage(image, (side - width) / 2, (side - height) / 2, width, height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(tr("The picture could not be scaled down.")))), "image/jpeg", 0.9));
}

// pictureButton lets somebody choose a picture.
export function pictureButton(chosen: (file: File) => void): HTMLElement[] {
  const file = h("input", { type: "file", accept: "image/*", hidden: true, tabindex: -1, onchange: () => {
    const picked = file.files?.[0];
    file.value = "";
    if (picked) chosen(picked);
  } });
  return [h("button", { class: "button", type: "button", onclick: () => file.click() }, tr("Choose a picture…")), file];
}
