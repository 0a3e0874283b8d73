/** Resolves in the next turn of the event loop: whatever came in meanwhile, such as an alarm, is seen to before. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Does `piece` in the next turn of the event loop, after the alarms that have come in: SQLite reads on the thread that
 * they need. Rejects as `piece` does.
 */
export const inNextTurn = async <R>(piece: () => R | Promise<R>): Promise<R> => {
  await nextTurn()
  return piece()
}
