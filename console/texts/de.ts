import { en, type Texts } from './en.ts'

export const de: Texts = en
