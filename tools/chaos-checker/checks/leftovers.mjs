/** At rest nothing is on its way. */
export function checkLeftovers({ control }) {
  return ['staging', 'blobs'].flatMap((place) =>
    control[place].map((name) => ({ kind: 'leftover', text: `${name} was left in ${place}` })),
  );
}
