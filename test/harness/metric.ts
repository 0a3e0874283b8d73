/** The value of one series of `/metrics`, named in full; null if it is absent. `listeners`: of the service. */
export async function metric(
  { listeners }: { readonly listeners: { readonly http?: string } },
  series: string,
): Promise<number | null> {
  const shown = await (await fetch(`${listeners.http}/metrics`)).text()
  const line = shown.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}
