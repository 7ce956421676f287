/** Jobs that wait, in turns: each group's first, then each group's second. Nobody's thousand jobs are before another's one. */
export class FairQueue<Job> {
  private readonly groups = new Map<string, Job[]>()

  add(group: string, job: Job): void {
    const waiting = this.groups.get(group)
    if (waiting) waiting.push(job)
    else this.groups.set(group, [job])
  }

  /** @param mayGo whether it can be a group's turn now; one whose turn it can't be keeps it. */
  take(mayGo: (group: string) => boolean = () => true): Job | undefined {
    for (const [group, waiting] of this.groups) {
      if (!mayGo(group)) continue
      const job = waiting.shift()
      // Its turn is over: whatever else it has comes after the others' next.
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
