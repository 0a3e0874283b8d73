import { attackPart } from '../attacks/under-attack.ts'

/** The control: what B's SOS takes while nobody does anything. */
export const quiet = attackPart({
  name: 'quiet',
  what: 'nothing at all: what the others are to be compared with',
  run: async () => '',
})
