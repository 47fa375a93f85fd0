// png.mjs - PNG files of one or three samples a pixel, made and read plainly

import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk (name, data) {
  const out = Buffer.alloc (12 + data.length);

  out.writeUInt32BE (data.length, 0);
  out.write (name, 4, 'latin1');
  data.copy (out, 8);
  out.writeUInt32BE (crc32 (out.subarray (4, 8 + data.length)), 8 + data.length);
  return out;
}

// sample (x, y, c) gives 0 .. 2^depth - 1; chunks are [name, data] before the
// pixels.
export function makePng (width, height, depth, sample, chunks = []) {
  const bytes = depth / 8, rows = Buffer.alloc (height * (1 + width * 3 * bytes));
  const header = Buffer.from ([0, 0, 0, 0, 0, 0, 0, 0, depth, 2, 0, 0, 0]);
  let at = 0;

  header.writeUInt32BE (width, 0);
  header.writeUInt32BE (height, 4);
  for (let y = 0; y < height; y++) {
    at++;
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++)
        at = rows.writeUIntBE (Math.floor (sample (x, y, c)), at, bytes);
  }
  return Buffer.concat ([SIGNATURE, chunk ('IHDR', header), ...chunks.map (([name, data]) => chunk (name, data)),
                         chunk ('IDAT', deflateSync (rows)), chunk ('IEND', Buffer.alloc (0))]);
}

// The chunks of a file: [name, data].
export function pngChunks (file) {
  const chunks = [];

  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE (at);

    chunks.push ([file.toString ('latin1', at + 4, at + 8), file.subarray (at + 8, at + 8 + length)]);
    at += 12 + length;
  }
  return chunks;
}

function paeth (a, b, c) {
  const p = a + b - c, pa = Math.abs (p - a), pb = Math.abs (p - b), pc = Math.abs (p - c);

  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

function unfilter (rows, height, rowBytes, step) {
  for (let y = 0; y < height; y++) {
    const start = y * (rowBytes + 1) + 1, filter = rows[start - 1];

    for (let i = 0; i < rowBytes; i++) {
      const at = start + i, above = y > 0 ? rows[at - rowBytes - 1] : 0;
      const left = i >= step ? rows[at - step] : 0;
      const corner = y > 0 && i >= step ? rows[at - rowBytes - 1 - step] : 0;

      rows[at] += [0, left, above, (left + above) >> 1, paeth (left, above, corner)][filter];
    }
  }
}

// { width, height, depth, channels, sample (x, y, c) } of a grey or colour
// file that is not interlaced.
export function readPng (file) {
  const chunks = pngChunks (file), header = chunks[0][1];
  const width = header.readUInt32BE (0), height = header.readUInt32BE (4);
  const depth = header[8], channels = { 0: 1, 2: 3 }[header[9]];
  const rowBytes = Math.ceil (width * channels * depth / 8);
  const rows = inflateSync (Buffer.concat (chunks.filter (([name]) => name === 'IDAT').map (([, data]) => data)));

  unfilter (rows, height, rowBytes, Math.max (1, channels * depth / 8));
  return {
    width, height, depth, channels,
    sample (x, y, c) {
      const bit = (x * channels + c) * depth, at = y * (rowBytes + 1) + 1 + (bit >> 3);

      return depth === 16 ? rows.readUInt16BE (at) : rows[at] >> (8 - depth - bit % 8) & ((1 << depth) - 1);
    }
  };
}

// EXIF data that says nothing but how the picture is turned.
export function exifOf (orientation) {
  const exif = Buffer.alloc (26);

  exif.write ('II*\0', 0, 'latin1');
  exif.writeUInt32LE (8, 4);
  exif.writeUInt16LE (1, 8);
  exif.writeUInt16LE (0x0112, 10);
  exif.writeUInt16LE (3, 12);
  exif.writeUInt32LE (1, 14);
  exif.writeUInt16LE (orientation, 18);
  return exif;
}
