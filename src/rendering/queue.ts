/**
 * A queue of jobs that is fair between groups: the first job of each group, then the second of each. A thousand jobs of one
 * group do not delay the others.
 */
export class FairQueue<Job> {
  private readonly groups = new Map<string, Job[]>()

  add(group: string, job: Job): void {
    const waiting = this.groups.get(group)
    if (waiting) waiting.push(job)
    else this.groups.set(group, [job])
  }

  /** @param mayGo whether a group may run now; a group that may not keeps its turn */
  take(mayGo: (group: string) => boolean = () => true): Job | undefined {
    for (const [group, waiting] of this.groups) {
      if (!mayGo(group)) continue
      const job = waiting.shift()
      // Its turn is over: its other jobs come after the next ones of the other groups.
      this.groups.delete(group)
      if (waiting.length > 0) this.groups.set(group, waiting)
      return job
    }
    return undefined
  }

  takeAll(): Job[] {
    const all = [...this.groups.values()].flat()
    this.groups.clear()
    return all
  }
}
