/** An object with what `make` returns for each of these names. `T`: its type, which the names and `make` must fit. */
export const byName = <T extends object, N extends string = string>(
  names: readonly N[],
  make: (name: N) => unknown,
): T => Object.fromEntries(names.map((name) => [name, make(name)])) as T
