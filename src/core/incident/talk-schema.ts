import { z } from 'zod'
import { visibleText } from '../text/person-name.ts'
import { quickReplyNames } from '../text/quick-replies.ts'

/** Characters of a line, as readers count them. rules.md#talk. */
export const MAX_TALK_CHARACTERS = 500

/**
 * A text as typed, cleaned: without characters that are invisible or reorder the words around them, and in one
 * paragraph, so that no message looks like several by different people.
 */
export const talkText = (typed: string): string => visibleText(typed).replaceAll(/\s+/gu, ' ').trim()

const isReadable = (text: string): boolean => {
  const clean = talkText(text)
  return text.isWellFormed() && clean !== '' && [...clean].length <= MAX_TALK_CHARACTERS
}

export const talkTextField = z
  .string()
  // More than 500 characters of any kind, and little to look through.
  .max(4 * MAX_TALK_CHARACTERS)
  .refine(isReadable, `must be text of 1 to ${MAX_TALK_CHARACTERS} characters`)

/** The sender's own name for a line. */
export const talkKeyField = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, 'must be 8 to 64 letters, digits, - or _')

export const talkToField = z.enum(['all', 'desk'])

export const quickReplyField = z.enum(quickReplyNames as [(typeof quickReplyNames)[number]])
