/** Whether a sender can make calls: sender names and short codes can only text. */
export const canCall = (from: string | null): from is string => from !== null && /^\+\d{7,15}$/.test(from)
