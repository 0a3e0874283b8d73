import type { RemovalText } from '../core/account/removal-text.ts'

/** Texts about removals that people's proved numbers have yet to receive, kept with the removal. app.md#removing. */
export type RemovalTextStore = {
  /** At most `max` texts that are due by now, the earliest first. */
  dueRemovalTexts(now: number, max: number): Promise<readonly RemovalText[]>
  /** Takes a text for one try; it is due again at `next`. False: another node was first, or it has left. */
  claimRemovalText(text: Pick<RemovalText, 'id' | 'dueAt'>, next: number): Promise<boolean>
  dropRemovalText(id: string): Promise<void>
}
