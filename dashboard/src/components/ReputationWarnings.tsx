import type { Schemas } from '../api/client.ts'

/** Rates that harm the reputation of the sender. */
export const ReputationWarnings = ({ findings }: { findings: readonly Schemas['ReputationFinding'][] }) =>
  findings.map(({ rule, text }) => (
    <p key={rule} className="small c-warn">
      {text}.
    </p>
  ))
