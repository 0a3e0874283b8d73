/** Resolves in the next turn of the event loop: whatever came in meanwhile, such as an alarm, is seen to before. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
