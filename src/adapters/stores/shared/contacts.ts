import { selected } from './columns.ts'

export const CONTACTS = `SELECT ${selected('contacts')} FROM contacts`
