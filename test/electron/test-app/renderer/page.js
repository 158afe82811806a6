document.querySelector('#state').textContent = 'running';
