import { open } from 'node:fs/promises';

/** Changes one bit near the end of a file: what a disk may do without saying so. */
export async function flipBit(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, size - 500);
  await file.write(
    byte.map((value) => value ^ 1),
    0,
    1,
    size - 500,
  );
}
