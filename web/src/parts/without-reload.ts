/** Submits a form by an action of the page: the browser sends nothing, and stays where it is. */
export function withoutReload(action: () => unknown): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    void action();
  };
}
