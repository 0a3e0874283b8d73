import { en, type Texts } from './en.ts'

export const fr: Texts = en
