import { Fragment } from 'react'
import { branchesOf } from '../builder/step-tree.ts'
import { STEP_TYPES } from '../builder/step-types.ts'
import type { Step } from '../builder/steps.ts'
import classes from './new-automation.module.css'

/** A small picture of steps. */
export const MiniFlow = ({ steps }: { steps: readonly Step[] }) => (
  <span className={classes.flow} aria-hidden>
    {steps.map((step) => {
      const { icon: Icon, tone, isPill } = STEP_TYPES[step.type]
      const branches = branchesOf(step)
      return (
        <Fragment key={step.id}>
          <span className={classes.miniStep} data-pill={isPill || undefined}>
            <span className={`${classes.miniMark} c-${tone}`}>
              <Icon size={10} stroke={2} aria-hidden />
            </span>
            <span className={classes.line} />
          </span>
          {branches.length > 0 && (
            <span className={classes.branches}>
              {branches.map(({ name, steps: inner }) => (
                <MiniFlow key={name} steps={inner} />
              ))}
            </span>
          )}
        </Fragment>
      )
    })}
  </span>
)
