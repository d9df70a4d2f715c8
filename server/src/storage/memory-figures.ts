/** Returns the memory of the calling thread: its JavaScript heap, and its buffers outside of it. */
export function memoryFigures(): { heap_bytes: number; buffer_bytes: number } {
  const { heapTotal, arrayBuffers } = process.memoryUsage();
  return { heap_bytes: heapTotal, buffer_bytes: arrayBuffers };
}
