/** Runs `count` calls, `width` of them at a time. Answers how many that were a second. */
export async function inFlight(
  width: number,
  count: number,
  call: (index: number, lane: number) => Promise<void>,
): Promise<number> {
  const began = performance.now();
  let next = 0;
  const lane = async (_: unknown, number: number): Promise<void> => {
    while (next < count) await call(next++, number);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return (count / (performance.now() - began)) * 1000;
}
