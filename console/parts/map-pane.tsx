import type { Position } from '../api/types.ts'

/** A position to show on the map. `label`: whose it is. `trail`: where the person was before, oldest first. */
export type Pin = {
  readonly id: string
  readonly label: string
  readonly urgency: number
  readonly position: Position
  readonly trail?: readonly Position[]
}

/** The map's place on the board and on an incident. Nothing while there is no map. */
export const MapPane = (_: { readonly pins: readonly Pin[]; readonly label: string }) => null
