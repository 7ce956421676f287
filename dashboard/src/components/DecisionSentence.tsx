import type { Schemas } from '../api/client.ts'
import { fullDate } from '../lib/format.ts'

const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** The sentence of a decision, with times in the user's time zone. */
export const DecisionSentence = ({ of: { sentence } }: { of: Pick<Schemas['Decision'], 'sentence'> }) => (
  <>{sentence.replaceAll(TIMES, (time) => fullDate(new Date(time)))}</>
)
