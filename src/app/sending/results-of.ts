export type ResultOf<T> = { readonly id: string; readonly value?: T; readonly err?: unknown }

/** Does `work` for each of `ids` together, and says what each came to: a value, or what it failed with. */
export const resultsOf = <T>(
  ids: readonly string[],
  work: (id: string) => Promise<T>,
): Promise<readonly ResultOf<T>[]> =>
  Promise.all(
    ids.map((id) =>
      work(id).then(
        (value) => ({ id, value }),
        (err: unknown) => ({ id, err: err ?? new Error('failed without a reason') }),
      ),
    ),
  )
