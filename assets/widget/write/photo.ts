// photo.ts makes large photos smaller before they travel, and small pictures of
// what is chosen.

/** Larger than this a photo of a phone shows nothing more. */
const SIDE = 2048;
const WORTH = 600_000;

/** shrink gives a photo in a sane size, or the file as it is. */
export async function shrink(file: File): Promise<File> {
  if (!/^image\/(jpeg|webp)$/.test(file.type) || file.size < WORTH) return file;
  try {
    const bitmap = await createImageBitmap(file);
    const part = Math.min(1, SIDE / Math.max(bitmap.width, bitmap.height));
    const canvas = draw(bitmap, bitmap.width * part, bitmap.height * part);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, file.type, 0.85));
    if (!blob || blob.size >= file.size || blob.type !== file.type) return file;
    return new File([blob], file.name, { type: blob.type, lastModified: file.lastModified });
  } catch {
    return file; // not a picture that this browser reads
  }
}

/** thumbnail draws a small square of a picture: no page's policy forbids a canvas. */
export async function thumbnail(file: File): Promise<HTMLCanvasElement | undefined> {
  if (!/^image\/(png|jpeg|gif|webp)$/.test(file.type)) return undefined;
  try {
    const bitmap = await createImageBitmap(file);
    const side = Math.min(bitmap.width, bitmap.height);
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 80;
    canvas
      .getContext("2d")!
      .drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, 80, 80);
    return canvas;
  } catch {
    return undefined;
  }
}

function draw(bitmap: ImageBitmap, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width);
  canvas.height = Math.round(height);
  canvas.getContext("2d")!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}
