import type { ReactNode } from 'react'
import classes from '../rehearsal.module.css'

/** Explains why a link leads to no result. @param again the button that rehearses again */
export const GoneRehearsal = ({ again }: { again: ReactNode }) => (
  <div className={`row ${classes.notice}`} role="alert">
    <p>Rehearsal not found. Rehearsals are deleted after 7 days.</p>
    {again}
  </div>
)
