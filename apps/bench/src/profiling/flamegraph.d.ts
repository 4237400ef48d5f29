declare module 'flamegraph' {
  const flamegraph: {
    fromCpuProfile(profile: { head: object }, options: { internals: boolean; minwidth: number }): string;
  };
  export default flamegraph;
}
