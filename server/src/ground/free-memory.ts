/**
 * Frees the memory of arrays that are not used any more. Garbage collection would do it too, but
 * late, and V8 marks a thread's whole heap whenever its buffers have grown by some 10 MB. An array
 * that is only a part of its buffer (Node keeps small ones in a common pool) is left alone.
 */
export function freeMemory(...arrays: readonly ArrayBufferView[]): void {
  for (const { buffer, byteLength } of arrays) {
    const isWhole = byteLength > 0 && buffer.byteLength === byteLength;
    if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
  }
}
