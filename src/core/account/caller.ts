/** Whether a sender can make calls. Sender names and short codes can only send texts. */
export const canCall = (from: string | null): from is string => from !== null && /^\+\d{7,15}$/.test(from)
