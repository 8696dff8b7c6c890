/* Starts Swagger UI in the page at /docs; the service appends this to its script. */

const dark = matchMedia('(prefers-color-scheme: dark)');
const setScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setScheme);
setScheme();

function listContents() {
  const headings = document.querySelectorAll('.info h2:not(.title), .opblock-tag, .models > h4');
  document.getElementById('contents').replaceChildren(
    ...Array.from(headings, (heading, i) => {
      heading.id ||= `section-${i}`;
      const link = document.createElement('a');
      link.textContent = heading.dataset.tag ?? heading.textContent;
      link.href = `#${heading.id}`;
      link.addEventListener('click', (event) => {
        event.preventDefault(); // the fragment belongs to Swagger UI's own links
        event.stopPropagation(); // its handler would scroll the heading under the contents
        heading.scrollIntoView();
      });
      return link;
    }),
  );
}

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null, // asks no other host
  onComplete: listContents,
});
