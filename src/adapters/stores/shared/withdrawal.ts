import type { Withdrawal } from '../../../ports/store.ts'

export const isWithdrawn = (withdrawal: Withdrawal | undefined): boolean =>
  withdrawal !== undefined && Atomics.load(withdrawal, 0) === 1
