/**
 * Shows one section of the page at a time. The links of the tabs, and others with `data-imagewright-tab`, also work without this; with it,
 * what a section holds stays while another is shown.
 * @param shown called with the name of each tab that is shown, the first one included
 */
export function connectTabs(nav: HTMLElement, shown: (tab: string) => void): void {
  const links = [...nav.querySelectorAll<HTMLAnchorElement>('[data-imagewright-tab]')];
  const first = links.find((link) => link.hasAttribute('aria-current'))?.dataset.imagewrightTab ?? '';
  const show = (tab: string) => {
    for (const link of links) {
      const name = link.dataset.imagewrightTab ?? '';
      link.classList.toggle('nav-tab-active', name === tab);
      if (name === tab) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
      const section = document.getElementById(`imagewright-tab-${name}`);
      if (section) section.hidden = name !== tab;
    }
    shown(tab);
  };
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-imagewright-tab]');
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.pushState(null, '', link.href);
    show(link.dataset.imagewrightTab ?? '');
  });
  addEventListener('popstate', () => show(new URL(location.href).searchParams.get('tab') ?? first));
  shown(first);
}
